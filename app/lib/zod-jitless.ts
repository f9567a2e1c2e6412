/**
 * Has zod check forms without making functions of text: it would try whether the browser lets it, and the browser would report
 * each try against our policy. To be imported before any schema. Zod reads its settings from this name (`z.config()` writes
 * there), and setting it so spares every page the library. The server keeps the faster way.
 */
if (typeof document !== 'undefined') Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
