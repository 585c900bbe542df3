# SPDX-License-Identifier: GPL-3.0-or-later
#
# One static library per folder. A library exposes only its own folder as an include path, under the
# folder's full name ("backend/http/..."), so a header of a library that is not linked cannot be included:
# the arrows of "The house" in DESIGN.md are enforced by the build.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

add_library(yardmaster_options INTERFACE)
target_compile_options(yardmaster_options INTERFACE
  -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wshadow=local
  $<$<BOOL:${YARDMASTER_WERROR}>:-Werror>)
target_compile_definitions(yardmaster_options INTERFACE
  QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH QT_NO_NARROWING_CONVERSIONS_IN_CONNECT
  QT_USE_QSTRINGBUILDER QT_DISABLE_DEPRECATED_BEFORE=0x060400
  YARDMASTER_VERSION="${PROJECT_VERSION}")

# Set for everything, generated code included, so that no object lacks the instrumentation.
if(YARDMASTER_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(YARDMASTER_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()

# Fuzz programs (tests/fuzz): clang only, and everything instrumented, so that libFuzzer sees the branches taken.
option(YARDMASTER_FUZZ "Build the libFuzzer programs" OFF)
if(YARDMASTER_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "YARDMASTER_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()

find_program(YARDMASTER_CCACHE ccache)
if(YARDMASTER_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${YARDMASTER_CCACHE}")
endif()
find_program(YARDMASTER_MOLD mold)
if(YARDMASTER_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# yardmaster_library(FOLDER SOURCES ... [DEPENDS ...] [PRIVATE_DEPENDS ...])
# FOLDER is relative to the root ("backend/http"); the target is its name with "-" for "/".
# Qt's code generators run for folders that link Qt, and only there.
function(yardmaster_library folder)
  cmake_parse_arguments(ARG "QT" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  string(REPLACE "/" "-" target "${folder}")
  add_library(${target} STATIC ${ARG_SOURCES})
  set(view "${CMAKE_BINARY_DIR}/include/${target}")
  get_filename_component(parent "${view}/${folder}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  file(CREATE_LINK "${CMAKE_SOURCE_DIR}/${folder}" "${view}/${folder}" SYMBOLIC)
  target_include_directories(${target} PUBLIC "${view}")
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} PRIVATE yardmaster_options ${ARG_PRIVATE_DEPENDS})
  if(ARG_QT)
    set_target_properties(${target} PROPERTIES AUTOMOC ON)
  endif()
endfunction()

# yardmaster_executable(NAME SOURCES ... DEPENDS ...)
function(yardmaster_executable name)
  cmake_parse_arguments(ARG "QT" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE yardmaster_options ${ARG_DEPENDS})
  if(ARG_QT)
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
  endif()
endfunction()

# yardmaster_test(NAME SOURCES ... DEPENDS ... [LABELS ...] [TIMEOUT s])
# A QtTest program run by CTest, offscreen; the binary directory of our programs is in YARDMASTER_BIN.
function(yardmaster_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(YARDMASTER_SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 4")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES AUTOMOC ON RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${name} PRIVATE yardmaster_options Qt6::Test ${ARG_DEPENDS})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}"
    ENVIRONMENT "QT_QPA_PLATFORM=offscreen;YARDMASTER_BIN=${CMAKE_BINARY_DIR}/bin;YARDMASTER_SOURCE=${CMAKE_SOURCE_DIR};TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp;ASAN_OPTIONS=detect_leaks=1;LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/lsan.supp")
endfunction()
