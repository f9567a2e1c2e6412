import { defineFeature } from '~/platform/feature.ts'

/** Its pages are routes. */
export const resume = defineFeature({ name: 'resume' })
