import { defineFeature } from '~/platform/feature.ts'
import { listenForSettings } from '~/platform/settings/settings.server.ts'
import { siteSection } from './site.server.ts'
import { registerSections } from './site-settings.server.ts'

export const siteSettings = defineFeature({
	name: 'site-settings',
	settingSections: [siteSection],
	memberData: {
		site_settings: 'settings of the whole site',
		site_setting_changes: {
			members: { actor_id: 'kept' },
			archive: 'acts of an admin, as the log of moderation has them',
		},
	},
	start: listenForSettings,
	collect: (features) => registerSections(features.flatMap(({ settingSections }) => settingSections ?? [])),
})
