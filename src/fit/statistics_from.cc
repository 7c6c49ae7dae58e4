#include "fit/statistics_from.h"

#include "rivulet/error.h"

namespace rivulet::fit {

void read_statistics(const privacy::MechanismPlan& plan, const strategy::Decoder& decoder, std::uint64_t rows,
                     Statistics& out) {
  if (decoder.step() == 0) throw Error("nothing has been released yet: the first model is out after the first step");
  const privacy::ReleaseLayout& layout = plan.layout();
  const std::size_t dimension = layout.dimension;
  const double unit = plan.lattice_unit();
  const double target_scale = plan.limits().target_scale();
  const double decoder_norm = decoder.norm();

  out.step = decoder.step();
  out.rows = rows;
  out.dimension = dimension;
  out.gram.resize(dimension * dimension);
  out.cross.resize(dimension);
  std::size_t above = layout.offdiagonal_begin();
  for (std::size_t column = 0; column < dimension; ++column) {
    for (std::size_t i = 0; i < column; ++i) {
      const double value = decoder.prefix(above++) * unit;
      out.gram[column * dimension + i] = value;
      out.gram[i * dimension + column] = value;
    }
    out.gram[column * dimension + column] = decoder.prefix(layout.diagonal_begin() + column) * unit;
    out.cross[column] = decoder.prefix(layout.cross_begin() + column) * (unit / target_scale);
  }
  out.has_target_square = layout.has_target_square;
  if (layout.has_target_square) {
    const double target_unit = unit / (target_scale * target_scale);
    out.target_square = decoder.prefix(layout.target_square()) * target_unit;
    out.target_square_stddev = plan.sigmas().target_square * decoder_norm * target_unit;
  }
  out.noise = plan.noise_for(decoder_norm);
}

}  // namespace rivulet::fit
