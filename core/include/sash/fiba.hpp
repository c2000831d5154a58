//! FiBA, whole. The class and its picture are in fiba/tree.hpp.
#pragma once

#include "sash/fiba/bulk_evict.hpp"
#include "sash/fiba/bulk_insert.hpp"
#include "sash/fiba/check.hpp"
#include "sash/fiba/evict.hpp"
#include "sash/fiba/insert.hpp"
#include "sash/fiba/policy.hpp"
#include "sash/fiba/range.hpp"
#include "sash/fiba/search.hpp"
#include "sash/fiba/spines.hpp"
#include "sash/fiba/split.hpp"
#include "sash/fiba/tree.hpp"
#include "sash/fiba/walk.hpp"
