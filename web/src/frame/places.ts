export interface Place {
  readonly to: string;
  readonly label: string;
  /** After `g`. */
  readonly key: string;
  readonly icon: string;
}

export const PLACES: readonly Place[] = [
  { to: '/inbox', label: 'Inbox', key: 'i', icon: 'M1.5 9.5 3.5 3h9l2 6.5v4h-13zM1.5 9.5h4l1 2h3l1-2h4' },
  { to: '/fleet', label: 'Fleet', key: 'f', icon: 'M2 3.5h12M2 8h12M2 12.5h12' },
  { to: '/merge', label: 'Merge', key: 'm', icon: 'M4 2v12M4 8c5 0 8-1.5 8-4.5M12 2v1.5M4 5.5V5' },
  {
    to: '/tools',
    label: 'Tools',
    key: 't',
    icon: 'M9.5 2.5a4 4 0 0 0-4.8 5.2L2 10.5 5.5 14l2.8-2.7a4 4 0 0 0 5.2-4.8l-2.3 2.3-2.2-.6-.6-2.2z',
  },
  { to: '/chat', label: 'Chat', key: 'h', icon: 'M2 3h12v8H7l-3.5 3v-3H2z' },
  {
    to: '/settings',
    label: 'Settings',
    key: 's',
    icon: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4',
  },
];
