import { defineFeature } from '~/platform/feature.ts'

/** The settings page. Sections of other features are nested routes: see `routes.ts`. */
export const settings = defineFeature({ name: 'settings' })
