// Looks for secret words in the whole memory of this process. The test must not hold them itself: they are handed over
// as their complements, and made in a child, whose memory is another's.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace rivulet::testing {

// The complements of the words that `make` makes in a child.
inline std::vector<std::uint64_t> complements_of(const std::function<std::vector<std::uint64_t>()>& make) {
  int channel[2];
  if (pipe(channel) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) {
    std::vector<std::uint64_t> words = make();
    for (std::uint64_t& word : words) word = ~word;
    const auto* bytes = reinterpret_cast<const char*>(words.data());
    std::size_t left = words.size() * sizeof(words[0]);
    while (left > 0) {
      const ssize_t sent = write(channel[1], bytes, left);
      if (sent <= 0) _exit(1);
      bytes += sent;
      left -= static_cast<std::size_t>(sent);
    }
    _exit(0);
  }
  close(channel[1]);
  std::string received;
  char buffer[65536];
  for (ssize_t got = 0; (got = read(channel[0], buffer, sizeof buffer)) > 0;) {
    received.append(buffer, static_cast<std::size_t>(got));
  }
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the child that makes secrets failed");
  std::vector<std::uint64_t> words(received.size() / sizeof(std::uint64_t));
  std::memcpy(words.data(), received.data(), words.size() * sizeof(std::uint64_t));
  return words;
}

// How many of these secrets stand somewhere in memory that this process can write, at a multiple of 8 bytes.
inline std::size_t secrets_in_memory(std::vector<std::uint64_t> complements) {
  std::sort(complements.begin(), complements.end());
  std::vector<bool> maybe(std::size_t{1} << 26);  // most words are no secret, and this says so at once
  for (const std::uint64_t word : complements) maybe[word >> 38] = true;
  std::vector<bool> found(complements.size());
  std::ifstream maps("/proc/self/maps");
  const int memory = open("/proc/self/mem", O_RDONLY);
  if (memory < 0) throw std::runtime_error("/proc/self/mem");
  std::vector<std::uint64_t> part(131072);
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0;
    unsigned long long end = 0;
    char access[8] = {};
    if (std::sscanf(line.c_str(), "%llx-%llx %7s", &begin, &end, access) != 3 || access[1] != 'w') continue;
    if (end - begin > (1ULL << 30)) continue;  // a sanitizer's shadow
    for (unsigned long long at = begin; at < end; at += part.size() * 8) {
      const std::size_t size = std::min<unsigned long long>(part.size() * 8, end - at);
      const ssize_t got = pread(memory, part.data(), size, static_cast<off_t>(at));
      for (ssize_t i = 0; i < got / 8; ++i) {
        const std::uint64_t word = ~part[static_cast<std::size_t>(i)];
        if (!maybe[word >> 38]) continue;
        const auto place = std::lower_bound(complements.begin(), complements.end(), word);
        if (place != complements.end() && *place == word) {
          found[static_cast<std::size_t>(place - complements.begin())] = true;
        }
      }
    }
  }
  close(memory);
  explicit_bzero(part.data(), part.size() * 8);  // the next search must not find what this one read
  return static_cast<std::size_t>(std::count(found.begin(), found.end(), true));
}

}  // namespace rivulet::testing
