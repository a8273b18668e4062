"""nginx in the place of the test origin, where a real server's way of sending is wanted."""
import os, shutil, subprocess, time
from xml.sax.saxutils import escape, quoteattr
from .trial import Trouble

CONFIGURATION = '''
user root;
daemon off;
master_process off;
pid {folder}/pid;
error_log stderr warn;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder};
  proxy_temp_path {folder};
  fastcgi_temp_path {folder};
  uwsgi_temp_path {folder};
  scgi_temp_path {folder};
  sendfile on;
  types {{ video/mp4 mp4; application/rss+xml xml; }}
  server {{
    listen {host}:{port};
    location = /feed {{ alias {folder}/feed.xml; }}
    location /files/ {{ alias {root}/; }}
  }}
}}
'''
'''The rest is as Debian has it: 75 s and 1,000 requests for a kept connection.'''


class Nginx:
    """Serves the files below `root` at /files/, at the far end of `line`, out of `folder`."""

    port = 80  # nobody else is in its namespace

    def __init__(self, line, root, folder):
        self.line, self.folder = line, folder
        if not shutil.which('nginx'):
            raise Trouble('no nginx')
        os.makedirs(folder)
        path = os.path.join(folder, 'nginx.conf')
        with open(path, 'w') as file:
            file.write(CONFIGURATION.format(folder=folder, root=root, host=line.far,
                                            port=self.port))
        with line.at_the_far_end():
            self.child = subprocess.Popen(['nginx', '-p', folder, '-c', path],
                                          stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        while not os.path.exists(os.path.join(folder, 'pid')):
            if self.child.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError('nginx does not start')
            time.sleep(0.01)

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait(10)

    def url(self, path):
        return f'http://{self.line.far}{path}'

    def publish(self, folder, sizes):
        items = ''.join(
            f'<item><title>{escape(name)}</title><guid isPermaLink="false">{escape(name)}</guid>'
            f'<enclosure type="video/mp4" length="{size}" '
            f'url={quoteattr(self.url(f"/files/{folder}/{name}"))}/></item>'
            for name, size in sizes.items())
        with open(os.path.join(self.folder, 'feed.xml'), 'w') as file:
            file.write(f'<rss version="2.0"><channel><title>bench</title>{items}</channel></rss>')
