import { useEffect, useState } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { Check } from '~/ui/check.tsx'

const copies = () => import('~/offline/saved-pages.ts')

/** Whether this browser saves conversations. It is no form, as the server knows nothing of it. */
export function OfflineChoice() {
	const { viewer } = useRootData()
	const [saves, setSaves] = useState<boolean | null>(null)

	useEffect(() => {
		if ('caches' in window) copies().then(({ savesConversations }) => setSaves(savesConversations()))
	}, [])

	if (saves === null) return <p className="py-2 text-ink-3">Saving pages needs JavaScript and a secure connection.</p>
	const choose = async (wanted: boolean) => {
		setSaves(wanted)
		const { chooseSavingConversations } = await copies()
		if (viewer) await chooseSavingConversations(wanted, viewer.username)
	}
	return (
		<div className="py-2">
			<Check
				name="saves-conversations"
				checked={saves}
				onChange={(event) => choose(event.currentTarget.checked)}
				hint="The last 10 you opened, for 7 days. Logging out deletes them. Do not use this on a shared computer."
			>
				Save conversations in this browser
			</Check>
			<p className="mt-2 text-sm text-ink-3">
				The last 30 questions that you open are saved too, so that you can read them without a connection.
			</p>
		</div>
	)
}
