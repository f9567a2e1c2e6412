import { pictureRefusals } from '~/features/pictures/pictures.view.ts'
import { appearanceSection } from '~/platform/appearance/appearance.server.ts'
import { deleteOldRows } from '~/platform/db/old-rows.queries.server.ts'
import { defineFeature } from '~/platform/feature.ts'
import { accessSection, indexingSection } from '~/platform/http/site-access.server.ts'
import { regionSection } from '~/platform/settings/region.server.ts'
import { listenForSettings } from '~/platform/settings/settings.server.ts'
import { nameSection } from '~/platform/settings/site-name.server.ts'
import { announcementSection } from './announcement.server.ts'
import { siteSection } from './site.server.ts'
import { forgetInSettings, registerSections } from './site-settings.server.ts'

export const siteSettingsFeature = defineFeature({
	name: 'site-settings',
	settingSections: [
		nameSection,
		appearanceSection,
		regionSection,
		siteSection,
		announcementSection,
		accessSection,
		indexingSection,
	],
	pictureForms: [{ path: /^\/admin\/settings\/appearance(\.data)?$/, tooLarge: pictureRefusals.bytes }],
	memberData: {
		site_logos: 'pictures of the whole site',
		site_settings: 'settings of the whole site',
		site_setting_changes: {
			members: { actor_id: 'kept' },
			merge: { actor_id: 'moves' },
			archive: 'acts of an admin, as the log of moderation has them',
			mentions: { changes: 'json' },
		},
	},
	retention: [
		{
			key: 'setting-changes',
			label: 'History of the site’s settings',
			hint: 'The settings stay, but older changes can no longer be undone.',
			days: { default: 730, min: 90, max: 3650 },
			remove: (days, limit) => deleteOldRows({ table: 'site_setting_changes', since: 'at', days, limit }),
		},
	],
	start: listenForSettings,
	leaving: [forgetInSettings],
	collect: (features) => registerSections(features.flatMap(({ settingSections }) => settingSections ?? [])),
})
