import { defineFeature } from '~/platform/feature.ts'

/** The settings page. What other features have there are routes nested in it: see `routes.ts`. */
export const settings = defineFeature({ name: 'settings' })
