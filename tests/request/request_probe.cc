// The C++ door, for comparing it with the others: reads settings, one JSON object a line, and answers each with the request
// that a model file would store, or with the refusal.
#include <iostream>
#include <string>

#include "rivulet/error.h"
#include "rivulet/incremental_regression.h"
#include "rivulet/request.h"

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      const rivulet::IncrementalRegression stream(rivulet::request_from_json(line));
      std::cout << "made " << rivulet::to_json(stream.options()) << std::endl;
    } catch (const rivulet::RequestError& error) {
      std::cout << "refused " << error.what() << std::endl;
    }
  }
}
