/** What a token may be made for. `read` and `write` do not contain each other; `moderate` adds the owner's role to both. */
export const scopes = ['read', 'write', 'moderate'] as const

export type Scope = (typeof scopes)[number]

/** How long a token works, in days. There is none without an end: what is forgotten stops by itself. */
export const lifetimes = [7, 30, 90, 365] as const

export const tokenLimits = { nameMax: 60, perMember: 20 } as const
