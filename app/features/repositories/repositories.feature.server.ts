import { defineFeature } from '~/platform/feature.ts'

/** Its page is a route of Edit profile. */
export const repositories = defineFeature({ name: 'repositories' })
