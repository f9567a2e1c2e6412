import { defineFeature } from '~/platform/feature.ts'
import { registerMerging } from './merging.server.ts'

/** Two accounts of the same person become one. */
export const accountMerge = defineFeature({ name: 'account-merge', collect: registerMerging })
