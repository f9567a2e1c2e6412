/** Characters of one formula, and of all formulas of a text; what goes beyond is shown as it was typed. */
export const MAX_FORMULA_LENGTH = 2_000
export const MAX_FORMULAS_LENGTH = 20_000
/** Formulas that one text may have. */
export const MAX_FORMULAS = 500
/** Macros that one formula may expand; none that it defines itself. */
export const MAX_EXPANSIONS = 500
/** What the formulas of a text may take, in milliseconds of the processor; looked at between two of them. */
export const MAX_FORMULAS_MS = 150
/** Elements within each other: the sanitizer cuts off what is deeper than 100, and a text has lists and quotations around it. */
export const MAX_FORMULA_DEPTH = 50
/** Characters of the markup of one formula. */
export const MAX_FORMULA_HTML = 100_000
/** The largest size that a formula may ask for, in em: of a space, a rule or a delimiter. */
export const MAX_FORMULA_EM = 10
