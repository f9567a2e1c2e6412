import type { Feature } from '~/platform/feature.ts'
import { accountLinking } from './account-linking/account-linking.feature.server.ts'
import { accountMerge } from './account-merge/account-merge.feature.server.ts'
import { accounts } from './accounts/accounts.feature.server.ts'
import { administration } from './administration/administration.feature.server.ts'
import { api } from './api/api.feature.server.ts'
import { asking } from './asking/asking.feature.server.ts'
import { authenticators } from './authenticators/authenticators.feature.server.ts'
import { backups } from './backups/backups.feature.server.ts'
import { bookmarks } from './bookmarks/bookmarks.feature.server.ts'
import { bounces } from './bounces/bounces.feature.server.ts'
import { campus } from './campus/campus.feature.server.ts'
import { campusFields } from './campus-fields/campus-fields.feature.server.ts'
import { campusLeavers } from './campus-leavers/campus-leavers.feature.server.ts'
import { campusLogin } from './campus-login/campus-login.feature.server.ts'
import { campusLogout } from './campus-logout/campus-logout.feature.server.ts'
import { campusRoles } from './campus-roles/campus-roles.feature.server.ts'
import { chat } from './chat/chat.feature.server.ts'
import { chatPictures } from './chat-pictures/chat-pictures.feature.server.ts'
import { conversations } from './conversations/conversations.feature.server.ts'
import { demo } from './demo/demo.feature.server.ts'
import { directory } from './directory/directory.feature.server.ts'
import { discussion } from './discussion/discussion.feature.server.ts'
import { evidence } from './evidence/evidence.feature.server.ts'
import { finder } from './finder/finder.feature.server.ts'
import { following } from './following/following.feature.server.ts'
import { home } from './home/home.feature.server.ts'
import { identity } from './identity/identity.feature.server.ts'
import { importing } from './import/import.feature.server.ts'
import { inbox } from './inbox/inbox.feature.server.ts'
import { invites } from './invites/invites.feature.server.ts'
import { legal } from './legal/legal.feature.server.ts'
import { login } from './login/login.feature.server.ts'
import { members } from './members/members.feature.server.ts'
import { moderation } from './moderation/moderation.feature.server.ts'
import { moderationLog } from './moderation-log/moderation-log.feature.server.ts'
import { notifications } from './notifications/notifications.feature.server.ts'
import { passkeys } from './passkeys/passkeys.feature.server.ts'
import { pictures } from './pictures/pictures.feature.server.ts'
import { privacy } from './privacy/privacy.feature.server.ts'
import { profileEditor } from './profile-editor/profile-editor.feature.server.ts'
import { profiles } from './profiles/profiles.feature.server.ts'
import { questionLists } from './question-lists/question-lists.feature.server.ts'
import { questions } from './questions/questions.feature.server.ts'
import { rateLimits } from './rate-limits/rate-limits.feature.server.ts'
import { related } from './related/related.feature.server.ts'
import { repositories } from './repositories/repositories.feature.server.ts'
import { resume } from './resume/resume.feature.server.ts'
import { routing } from './routing/routing.feature.server.ts'
import { search } from './search/search.feature.server.ts'
import { sessions } from './sessions/sessions.feature.server.ts'
import { settings } from './settings/settings.feature.server.ts'
import { siteSettingsFeature } from './site-settings/site-settings.feature.server.ts'
import { tags } from './tags/tags.feature.server.ts'
import { takedowns } from './takedowns/takedowns.feature.server.ts'
import { terms } from './terms/terms.feature.server.ts'
import { tokens } from './tokens/tokens.feature.server.ts'
import { upkeep } from './upkeep/upkeep.feature.server.ts'
import { usage } from './usage/usage.feature.server.ts'
import { vocabulary } from './vocabulary/vocabulary.feature.server.ts'
import { webhooks } from './webhooks/webhooks.feature.server.ts'

/**
 * The import layers, from the bottom up. A feature may import features of the layers below its own; those of one layer are
 * siblings and never import each other (tests/architecture.test.ts).
 */
export const layers: readonly (readonly Feature[])[] = [
	[rateLimits],
	[bounces, sessions],
	[accounts],
	[login, passkeys],
	[authenticators],
	[identity, terms],
	[members, tokens],
	[accountLinking, campus, notifications, pictures],
	[campusLogin, moderation],
	[vocabulary],
	[chatPictures, conversations, tags],
	[chat, search],
	[bookmarks, evidence],
	[routing],
	[inbox, questions],
	[asking],
	[questionLists],
	[following, related, upkeep],
	[discussion, importing],
	[profiles],
	[profileEditor],
	[demo, directory, repositories, resume],
	[finder, privacy],
	[campusLogout, campusRoles],
	[administration, takedowns],
	[backups, campusFields, campusLeavers, invites, legal, moderationLog, siteSettingsFeature, usage, webhooks],
	[home, settings, api, accountMerge],
]

/** Every feature of the site. */
export const features: readonly Feature[] = layers.flat()

for (const feature of features) feature.collect?.(features)
