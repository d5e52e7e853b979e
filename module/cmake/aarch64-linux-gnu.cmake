# Cross-compiles for Linux on 64-bit ARM, with Debian's g++-aarch64-linux-gnu:
#
#   cmake -S . -B build-aarch64 -DCMAKE_SYSROOT=DIR \
#     -DCMAKE_TOOLCHAIN_FILE=module/cmake/aarch64-linux-gnu.cmake
#
# DIR is a sysroot with the libraries and headers of the server: those of the part `build` of
# install-packages, and libc. tests/project/aarch64 makes one from Debian's packages.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# Programs are found on this machine, all other files in the sysroot.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
  "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
