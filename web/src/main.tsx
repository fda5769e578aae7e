import { render } from 'preact';
import { startSession } from './api/session.ts';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
void startSession();
