import { StrictMode, startTransition, useEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { HydratedRouter } from 'react-router/dom'
import { guardRouter } from './shell/guarded.ts'

/** Marks the document once the scripts have taken it over, so that whoever drives a browser can wait for that. */
function App() {
	useEffect(() => {
		document.documentElement.dataset.hydrated = ''
	}, [])
	return <HydratedRouter />
}

guardRouter()
startTransition(() => {
	hydrateRoot(
		document,
		<StrictMode>
			<App />
		</StrictMode>,
	)
})
