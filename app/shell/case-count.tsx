import { useRootData } from '~/lib/root-data.ts'

/** How much waits for a moderator, at the end of the way there; nothing when nothing does. */
export function CaseCount() {
	const { openCases } = useRootData()
	return (
		openCases > 0 && (
			<span className="badge ml-auto">
				{openCases > 99 ? '99+' : openCases}
				<span className="sr-only"> open</span>
			</span>
		)
	)
}
