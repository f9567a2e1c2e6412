import { defineFeature } from '~/platform/feature.ts'
import { inBackground } from '~/platform/realtime/io.server.ts'
import { listJoinedAfter } from './directory.queries.server.ts'

export const directory = defineFeature({
	name: 'directory',
	onConnect: (tab) =>
		tab.on('members:since', (username: unknown, answer: unknown) => {
			if (typeof username !== 'string' || typeof answer !== 'function') return
			inBackground(listJoinedAfter(username).then((joined) => answer(joined)))
		}),
})
