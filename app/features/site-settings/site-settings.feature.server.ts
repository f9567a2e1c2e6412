import { defineFeature } from '~/platform/feature.ts'
import { listenForSettings } from '~/platform/settings/settings.server.ts'
import { siteSection } from './site.server.ts'
import { registerSections } from './site-settings.server.ts'

export const siteSettings = defineFeature({
	name: 'site-settings',
	settingSections: [siteSection],
	start: listenForSettings,
	collect: (features) => registerSections(features.flatMap(({ settingSections }) => settingSections ?? [])),
})
