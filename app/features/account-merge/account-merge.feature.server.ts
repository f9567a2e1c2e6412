import { defineFeature } from '~/platform/feature.ts'
import { registerMerging } from './merging.server.ts'

/** Merges two accounts of the same person. */
export const accountMerge = defineFeature({ name: 'account-merge', collect: registerMerging })
