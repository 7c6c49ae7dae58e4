// Everything a program needs.
#pragma once

#include "rivulet/budget.h"
#include "rivulet/constraint.h"
#include "rivulet/domain.h"
#include "rivulet/durable_regression.h"
#include "rivulet/error.h"
#include "rivulet/inference.h"
#include "rivulet/model.h"
#include "rivulet/priv_inc_reg1.h"
#include "rivulet/refit.h"
#include "rivulet/release_log.h"
#include "rivulet/schema.h"
#include "rivulet/statistics.h"
#include "rivulet/version.h"
