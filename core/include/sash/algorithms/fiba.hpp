//! FiBA, whole. The class and its picture are in fiba/tree.hpp.
#pragma once

#include "sash/algorithms/fiba/bulk_evict.hpp"
#include "sash/algorithms/fiba/bulk_insert.hpp"
#include "sash/algorithms/fiba/check.hpp"
#include "sash/algorithms/fiba/describe.hpp"
#include "sash/algorithms/fiba/evict.hpp"
#include "sash/algorithms/fiba/groups.hpp"
#include "sash/algorithms/fiba/hands.hpp"
#include "sash/algorithms/fiba/insert.hpp"
#include "sash/algorithms/fiba/policy.hpp"
#include "sash/algorithms/fiba/range.hpp"
#include "sash/algorithms/fiba/search.hpp"
#include "sash/algorithms/fiba/spines.hpp"
#include "sash/algorithms/fiba/split.hpp"
#include "sash/algorithms/fiba/tree.hpp"
#include "sash/algorithms/fiba/undo.hpp"
#include "sash/algorithms/fiba/walk.hpp"
