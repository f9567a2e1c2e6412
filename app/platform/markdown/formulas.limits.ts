/** Characters of one formula, and of all formulas of a text; the rest is shown as it was typed. */
export const MAX_FORMULA_LENGTH = 2_000
export const MAX_FORMULAS_LENGTH = 20_000
/** Formulas of one text. */
export const MAX_FORMULAS = 500
/** Macro expansions of one formula; it may not define macros. */
export const MAX_EXPANSIONS = 500
/** Milliseconds of processor time for the formulas of a text; checked between formulas. */
export const MAX_FORMULAS_MS = 150
/** Nesting depth of elements: the sanitizer cuts off what is deeper than 100, and a formula may be within lists and quotations. */
export const MAX_FORMULA_DEPTH = 50
/** Characters of the markup of one formula. */
export const MAX_FORMULA_HTML = 100_000
/** The maximum size of a space, a rule or a delimiter, in em. */
export const MAX_FORMULA_EM = 10
