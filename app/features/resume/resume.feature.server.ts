import { defineFeature } from '~/platform/feature.ts'

/** Its pages are routes; it adds nothing else to the site. */
export const resume = defineFeature({ name: 'resume' })
