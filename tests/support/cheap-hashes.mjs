/*
 * Loaded into a site of the journeys by `--import`: hashes passwords with the least cost, as setup.ts does for tests of modules. The site
 * itself knows nothing of it. The tests of processes hash with the real cost, except the demo accounts of their template.
 */
import { createRequire } from 'node:module'

const argon2 = createRequire(import.meta.url)('@node-rs/argon2')
const { hash } = argon2
argon2.hash = (password, options, signal) => hash(password, { ...options, memoryCost: 64, timeCost: 1 }, signal)
