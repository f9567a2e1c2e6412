import { Download } from 'lucide'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { themeColors } from '~/lib/theme-colors.ts'
import { useTheme } from '~/shell/theme-switch.tsx'
import { Icon } from '~/ui/icon.tsx'
import { registerWorker } from './client.ts'
import { removeOldCopies } from './saved-pages.ts'

/** What Chromium gives when the site can be installed and is not; other browsers have a way of their own. */
interface InstallEvent extends Event {
	prompt: () => Promise<unknown>
}

/**
 * What a member's browser has once the page stands, whatever page that is: the service worker, so that an installed app opens
 * without a network; the end of copies that are too old; the colour round the page; and in the menus an item that installs it.
 */
export function MemberBrowser({ username }: { username: string }) {
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

/** Browsers paint what is round the page in the colour of its ground. */
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
	// The menus say where, and how an item looks there.
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

/** @returns what asks the reader whether to install; null where the browser offers no way, or has done it */
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
		// It can be asked once.
		setEvent(null)
		for (const menu of document.querySelectorAll<HTMLElement>(':popover-open')) menu.hidePopover()
		void event.prompt()
	}
}
