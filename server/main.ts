import './check-settings.ts'

// The entry of every process of the site. Only an import in its turn comes after the check in a bundle, too.
await import('./run.ts')
