import { defineFeature } from '~/platform/feature.ts'

/** The pages of registering, logging in and out, and setting a new password. What they do is in `accounts`. */
export const login = defineFeature({ name: 'login' })
