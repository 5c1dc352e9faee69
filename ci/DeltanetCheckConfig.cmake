# deltanet_check_test(NAME name KERNELS file [BIND file...] [CONTRACT file...] [SANITIZE] [PARTS n] [ARGUMENTS argument...])
#
# Adds the test `name` of ctest, which validates a code object; with PARTS n the tests name-1 to name-n, which ctest -j runs at the same time.
# Relative files are in the current source folder; KERNELS may be a generator expression, such as $<TARGET_FILE:my_kernels>. Each test writes
# the page name.html and the JUnit file name.xml into the current binary folder. The program is the one that was found, or DELTANET_CHECK_PROGRAM.
#
# The wheel and the packages of deltanet-check have this file where find_package(DeltanetCheck) looks, if the program is in PATH.

find_program(DELTANET_CHECK_PROGRAM deltanet-check HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin")
if(NOT DELTANET_CHECK_PROGRAM)
  set(DeltanetCheck_FOUND FALSE)
  set(DeltanetCheck_NOT_FOUND_MESSAGE "the program deltanet-check is not in PATH: install its wheel, or set DELTANET_CHECK_PROGRAM")
  return()
endif()

function(deltanet_check_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "SANITIZE" "NAME;KERNELS;PARTS" "BIND;CONTRACT;ARGUMENTS")
  foreach(name NAME KERNELS)
    if(NOT arg_${name})
      message(FATAL_ERROR "deltanet_check_test: ${name} is missing")
    endif()
  endforeach()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "deltanet_check_test: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(command "${DELTANET_CHECK_PROGRAM}" --kernels "${arg_KERNELS}")
  foreach(file IN LISTS arg_BIND)
    list(APPEND command --bind "${file}")
  endforeach()
  foreach(file IN LISTS arg_CONTRACT)
    list(APPEND command --contract "${file}")
  endforeach()
  if(arg_SANITIZE)
    list(APPEND command --sanitize)
  endif()
  list(APPEND command ${arg_ARGUMENTS})
  set(tests "${arg_NAME}")
  if(arg_PARTS)
    set(tests "")
    foreach(part RANGE 1 ${arg_PARTS})
      list(APPEND tests "${arg_NAME}-${part}")
    endforeach()
  endif()
  foreach(test IN LISTS tests)
    set(partition "")
    if(arg_PARTS)
      string(REGEX REPLACE ".*-" "" part "${test}")
      set(partition --partition "${part}/${arg_PARTS}")
    endif()
    add_test(NAME "${test}"
      COMMAND ${command} ${partition}
        --report "${CMAKE_CURRENT_BINARY_DIR}/${test}.html" --report "${CMAKE_CURRENT_BINARY_DIR}/${test}.xml"
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  endforeach()
endfunction()
