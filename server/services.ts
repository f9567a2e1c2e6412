import { hasSeveralProcesses } from '~/config.server.ts'
import { features } from '~/features/index.server.ts'
import { closeBus, connectBus } from '~/platform/bus/bus.server.ts'
import { listenForInvalidations } from '~/platform/cache/pages.server.ts'
import { checkCounters } from '~/platform/db/counters.queries.server.ts'
import { type Feature, mergeByName } from '~/platform/feature.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { io } from '~/platform/realtime/io.server.ts'
import { joinProcesses } from '~/platform/realtime/processes.server.ts'
import { startTracing, stopTracing } from '~/platform/tracing/tracing.server.ts'
import { handleSockets } from './sockets.ts'

/** Starts the services beside the pages: sockets, jobs, the bus. @returns stops them, sockets first */
export async function startServices(): Promise<() => Promise<void>> {
	await startTracing()
	await connectBus()
	const stopSockets = handleSockets()
	const stopPassing = hasSeveralProcesses() ? await joinProcesses() : async () => {}
	const stopListening = await listenForInvalidations()
	const stopFeatures: (() => Promise<void>)[] = []
	for (const feature of features) stopFeatures.push((await feature.start?.()) ?? (async () => {}))
	await startJobs({
		jobs: mergeByName(features.map(({ jobs }) => ({ ...jobs }))),
		remoteJobs: features.flatMap(({ remoteJobs }) => remoteJobs ?? []),
		schedules: [
			...features.flatMap(({ schedules }) => schedules ?? []),
			{
				name: 'check-counters',
				every: 'night',
				run: () => checkCounters(features.flatMap(({ counters }) => counters ?? [])),
			},
		],
	})
	return async () => {
		await stopSockets()
		await stopListening()
		for (const stop of stopFeatures) await stop()
		await io.close()
		await stopPassing()
		await stopJobs()
		closeBus()
		await stopTracing()
	}
}

/** Adds the demo content of all features. */
export async function seedSite(options: Parameters<NonNullable<Feature['seedDemo']>>[0]): Promise<void> {
	for (const feature of features) await feature.seedDemo?.(options)
}
