// The BLT recurrence in integers, shared by the encoder (inside the wall) and the decoder (behind it).
//
// Per coordinate and buffer j there is one 128-bit state S_j, in units of 2^-kStateBits of a noise-lattice unit:
//   feedback = floor(2^-kStateBits * sum_j floor(omega_j S_j)),     w_t = v_t + feedback          (encode)
//                                                                   v_t = w_t - feedback          (decode)
//   S_j <- S_j - floor(theta_gap_j S_j) + v_t * 2^kStateBits.
// Both directions run the same state machine, so decode(encode(v)) == v bit for bit, for every input and every length.
//
// Rounding. Against the real-valued recurrence, each floor on S_j adds an error in [0, 1) state units that decays by
// theta_j: at most 1/theta_gap_j in total. The output is therefore off by a value in an interval of width
//   rounding_width() = 1 + (k + sum_j omega_j/theta_gap_j) 2^-kStateBits   noise-lattice units,
// whatever the input was. Two streams' outputs can differ by that much more than the exact filter's would, per
// coordinate and step; the accountant adds it to the sensitivity.
//
// Range. |S_j| stays below 2^126 while (sum of |v|) * 2^kStateBits does; the accountant checks that before the first
// row, with room to spare: states stay below 2^124, and none above that is ever restored.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/int128.h"
#include "strategy/blt.h"

namespace rivulet::strategy {

class BltFilter {
 public:
  static constexpr unsigned kStateBits = 24;

  BltFilter(const BltParameters& parameters, std::size_t coordinates);

  // In place: step values v_t become encoded values w_t. values.size() == coordinates.
  void encode(std::span<Int128> values);
  // In place: encoded values w_t become step values v_t.
  void decode(std::span<Int128> values);

  // Encoder's state: as sensitive as the values that went in. Decoder's state: as public as they are.
  void save(ByteWriter& out) const;
  // Throws DamagedFile when it is not the state of a filter of this shape.
  void restore(ByteReader& in);

  // See above.
  static double rounding_width(const BltParameters& parameters);

 private:
  // One step of the recurrence for every coordinate; unrolled over the number of buffers.
  template <bool kEncode>
  void advance(std::span<Int128> values);
  template <bool kEncode, std::size_t kBuffers>
  void advance_unrolled(std::span<Int128> values);

  static constexpr unsigned kRestoredBits = 124;

  std::vector<Fraction> theta_gap_;
  std::vector<Fraction> omega_;
  std::vector<Int128> states_;  // coordinate-major, before the last step's value was added
  std::vector<Int128>
      last_;  // that value, in state units, one per coordinate: one pass over the states then serves both directions
};

}  // namespace rivulet::strategy
