#include "sketch/embedding.h"
