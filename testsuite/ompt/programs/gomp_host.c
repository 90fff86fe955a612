// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads plug-ins with scopes of their own, and prints what each of them says.

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		int (*work)(void) = plugin ? (int (*)(void))dlsym(plugin, "work") : NULL;

		if (!work)
			return 1;
		printf("%d\n", work());
	}
	return 0;
}
