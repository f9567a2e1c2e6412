import './check-settings.ts'

// The entry of every process of the site. In a bundle, only a dynamic import runs after the check.
await import('./run.ts')
