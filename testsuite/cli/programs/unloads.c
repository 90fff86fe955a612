// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: unloads PLUGIN. Without OpenMP of its own: calls the plug-in, and unloads it with its runtime, whose
// threads then have no code.

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;

	if (!plugin) {
		puts("no plug-in");
		return 1;
	}
	((void (*)(void))dlsym(plugin, "work"))();
	dlclose(plugin);
	for (;;)
		pause();
}
