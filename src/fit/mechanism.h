// What a request for PrivIncReg1 means: its defaults, the mechanism it asks for and how its models are fitted. Public
// settings only, so that whoever holds a release log can work out the same mechanism again.
#pragma once

#include "fit/model_fitter.h"
#include "privacy/mechanism_plan.h"
#include "rivulet/priv_inc_reg1.h"

namespace rivulet::fit {

// Every optional setting filled in, and a constraint from a file replaced by what the file says, so that a stored
// request needs no other file; filling in again changes nothing. Throws RequestError where settings contradict each
// other.
PrivIncReg1::Options with_defaults(PrivIncReg1::Options options);

// Both need options that went through with_defaults().
privacy::MechanismRequest mechanism_request(const PrivIncReg1::Options& options);
ModelFitter::Options fitter_options(const PrivIncReg1::Options& options, const privacy::MechanismPlan& plan);

}  // namespace rivulet::fit
