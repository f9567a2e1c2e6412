import { StrictMode, startTransition } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { Hydrated, hasAddressChanged, noteEarlyInput } from './shell/early-input.tsx'
import { guardRouter } from './shell/guarded.ts'

if (hasAddressChanged()) location.reload()
else hydrate()

function hydrate(): void {
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
}
