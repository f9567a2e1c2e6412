import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { Hydrated, noteEarlyInput } from './shell/early-input.tsx'
import { guardRouter } from './shell/guarded.ts'

guardRouter()
startTransition(() => {
	noteEarlyInput()
	hydrateRoot(
		document,
		<StrictMode>
			<HydratedRouter />
			<Hydrated />
		</StrictMode>,
	)
})
