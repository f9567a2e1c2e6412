import { Download } from 'lucide'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { themeColors } from '~/lib/theme-colors.ts'
import { useTheme } from '~/shell/theme-switch.tsx'
import { Icon } from '~/ui/icon.tsx'
import { registerWorker } from './client.ts'
import { removeOldCopies } from './saved-pages.ts'

/** Chromium's `beforeinstallprompt` event; other browsers have no such event. */
interface InstallEvent extends Event {
	prompt: () => Promise<unknown>
}

/**
 * Set up on every page for members, after it has rendered: the service worker, so that an installed app opens without a network; deleting
 * expired copies; the theme colour; and the menu item that installs the app.
 */
export function BrowserSetup({ username }: { username: string }) {
	useEffect(() => {
		void registerWorker()
		void removeOldCopies(username)
	}, [username])
	return (
		<>
			<link rel="apple-touch-icon" href="/apple-touch-icon.png" />
			<ThemeColor />
			<InstallItems />
		</>
	)
}

/** Browsers paint their surroundings in the page's background colour. */
function ThemeColor() {
	const theme = useTheme()
	if (theme !== 'system') return <meta name="theme-color" content={themeColors[theme]} />
	return (
		<>
			<meta name="theme-color" content={themeColors.light} media="(prefers-color-scheme: light)" />
			<meta name="theme-color" content={themeColors.dark} media="(prefers-color-scheme: dark)" />
		</>
	)
}

function InstallItems() {
	const offer = useInstallOffer()
	if (!offer) return null
	// The menus contain placeholders, with the look of their items.
	const slots = [...document.querySelectorAll<HTMLElement>('[data-install]')]
	return slots.map((slot) =>
		createPortal(
			<button type="button" className={slot.dataset.install} onClick={offer}>
				<Icon of={Download} /> Install app
			</button>,
			slot,
			slot.dataset.install,
		),
	)
}

/** @returns a function that prompts for the installation; null if the browser does not offer it or the app is installed */
function useInstallOffer(): (() => void) | null {
	const [event, setEvent] = useState<InstallEvent | null>(null)
	useEffect(() => {
		const onOffer = (event: Event) => {
			event.preventDefault()
			setEvent(event as InstallEvent)
		}
		const onInstalled = () => setEvent(null)
		window.addEventListener('beforeinstallprompt', onOffer)
		window.addEventListener('appinstalled', onInstalled)
		return () => {
			window.removeEventListener('beforeinstallprompt', onOffer)
			window.removeEventListener('appinstalled', onInstalled)
		}
	}, [])
	if (!event) return null
	return () => {
		// An event can prompt only once.
		setEvent(null)
		for (const menu of document.querySelectorAll<HTMLElement>(':popover-open')) menu.hidePopover()
		void event.prompt()
	}
}
