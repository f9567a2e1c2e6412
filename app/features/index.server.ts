import type { Feature } from '~/platform/feature.ts'
import { accounts } from './accounts/accounts.feature.server.ts'
import { api } from './api/api.feature.server.ts'
import { campus } from './campus/campus.feature.server.ts'
import { chat } from './chat/chat.feature.server.ts'
import { directory } from './directory/directory.feature.server.ts'
import { discussion } from './discussion/discussion.feature.server.ts'
import { home } from './home/home.feature.server.ts'
import { importing } from './import/import.feature.server.ts'
import { members } from './members/members.feature.server.ts'
import { moderation } from './moderation/moderation.feature.server.ts'
import { notifications } from './notifications/notifications.feature.server.ts'
import { pictures } from './pictures/pictures.feature.server.ts'
import { profiles } from './profiles/profiles.feature.server.ts'
import { questions } from './questions/questions.feature.server.ts'
import { resume } from './resume/resume.feature.server.ts'
import { search } from './search/search.feature.server.ts'
import { tags } from './tags/tags.feature.server.ts'

/** Every feature of the site. */
export const features: readonly Feature[] = [
	home,
	directory,
	importing,
	questions,
	discussion,
	search,
	tags,
	pictures,
	profiles,
	moderation,
	notifications,
	chat,
	resume,
	campus,
	members,
	accounts,
	api,
]

for (const feature of features) feature.collect?.(features)
