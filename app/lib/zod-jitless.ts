/**
 * Makes zod validate without generated functions: it would test whether `eval` works, and browsers would report each test as a
 * violation of our policy. Import it before any schema. Zod reads its settings from this global (`z.config()` writes there), so
 * setting it saves pages from loading the library. The server keeps the faster mode.
 */
if (typeof document !== 'undefined') Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
