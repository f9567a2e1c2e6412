import { defineFeature } from '~/platform/feature.ts'

/** Its page is a route of Edit profile; it adds nothing else to the site. */
export const repositories = defineFeature({ name: 'repositories' })
