//! The monoids that windows over a store are made for.
#pragma once

//! Calls F with each of the built-in ones.
#define SASH_STORED_MONOIDS(F) \
    F(SumInt)                  \
    F(SumReal)                 \
    F(ProductInt)              \
    F(ProductReal)             \
    F(Mean)                    \
    F(Moments)                 \
    F(Range)                   \
    F(Extremes)                \
    F(ExtremeCounts)           \
    F(ExtremeArguments)        \
    F(Ends)                    \
    F(Bits)                    \
    F(Concat)                  \
    F(Collect<Cell>)           \
    F(Bloom)

//! And with records, and aggregations in Python.
#define SASH_STORED_RECORDS(F) \
    F(PythonMonoid)            \
    F(Mixed)                   \
    F(Record<std::vector<Word>>)
