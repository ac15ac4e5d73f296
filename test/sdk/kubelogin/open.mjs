// Follows the address that kubelogin opens, allows what it asks for and goes back.
import { allow } from '../device/npm/browser.mjs'

const opened = await fetch(process.argv[2], { redirect: 'manual' })
await fetch(await allow(opened.headers.get('location')))
