import type { Feature } from '~/platform/feature.ts'
import { accounts } from './accounts/accounts.feature.server.ts'
import { api } from './api/api.feature.server.ts'
import { chat } from './chat/chat.feature.server.ts'
import { directory } from './directory/directory.feature.server.ts'
import { forum } from './forum/forum.feature.server.ts'
import { home } from './home/home.feature.server.ts'
import { notifications } from './notifications/notifications.feature.server.ts'
import { profiles } from './profiles/profiles.feature.server.ts'

/** Every feature of the site. The description of the API lists their operations in this order. */
export const features: readonly Feature[] = [home, directory, forum, notifications, chat, profiles, accounts, api]

for (const feature of features) feature.collect?.(features)
