#!/usr/bin/env python3
"""Plays a film with one program, and prints what the program shows of it.

usage: players.py PROGRAM look|play|seek|watch FILE [SECONDS…]
       players.py minidlna scan FOLDER

look   opens it
play   plays to its end
seek   goes to each place, in this order
watch  plays at the film's pace until a place
It prints one object of JSON:

  duration  seconds, as the program tells
  tracks    how many kinds of picture and sound it finds
  pictures  how many it decoded from the beginning to the end
  places    of each seek: the number of the picture shown, or null; and the seconds that the program tells
  apart     the greatest distance of picture and sound, in seconds, where the program tells
  said      what it complained about

scan  prints the name, title and size of each film that a media server finds, as a list.

The films are those of films.sh: each picture has its number in it, as twelve bars.
"""
import contextlib, glob, json, os, re, shutil, socket, sqlite3, subprocess, sys, tempfile, time
import urllib.parse, urllib.request

RATE = 25
PERIOD = 3000  # pictures, after which the numbers repeat
PATIENCE = 60  # seconds


class Trouble(Exception):
    pass


def run(*command, timeout=PATIENCE, **options):
    child = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout,
                           **options)
    return child.stdout, child.stderr.decode(errors='replace').strip()


def until(condition, what, patience=PATIENCE):
    """The first answer that is true."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.02)
    raise Trouble(f'no {what} within {patience} s')


def free_port():
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        return free.getsockname()[1]


def number(row):
    """What twelve bars of brightness say."""
    return sum(1 << place for place, value in enumerate(row) if value > 125)


def number_in(picture):
    """The number in a file with a picture."""
    out, err = run('ffmpeg', '-v', 'error', '-i', picture, '-vf',
                   'format=gray,crop=iw:ih/18:0:ih/36,scale=12:1:flags=area', '-frames:v', '1',
                   '-f', 'rawvideo', '-')
    if len(out) != 12:
        raise Trouble(f'no picture in {picture}: {err}')
    return number(out)


class FFprobe:
    def look(self, film):
        out, err = run('ffprobe', '-v', 'warning', '-of', 'json', '-show_format', '-show_streams', film)
        told = json.loads(out)
        return {'duration': float(told['format']['duration']), 'said': err,
                'tracks': len({stream['codec_type'] for stream in told['streams']})}


class FFmpeg:
    BARS = 'format=gray,crop=iw:20:0:10,scale=12:1:flags=area,setsar=1'

    def play(self, film):
        out, err = run('ffmpeg', '-v', 'warning', '-i', film, '-map', '0:v', '-map', '0:a',
                       '-fps_mode', 'passthrough', '-enc_time_base', '-1', '-f', 'null', '-progress', '-', '-', timeout=300)
        return {'pictures': int(re.findall(rb'frame=(\d+)', out)[-1]), 'said': err}

    def seek(self, film, places):
        found, said = [], ''
        for place in places:
            out, err = run('ffmpeg', '-v', 'warning', '-ss', str(place), '-i', film, '-map', '0:v',
                           '-frames:v', '1', '-vf', self.BARS, '-f', 'rawvideo', '-')
            found.append((number(out), place))
            said += err
        return {'places': found, 'said': said}


class MPV:
    """Told by its socket what to do."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()

    def _start(self, film, *options):
        mine, its = socket.socketpair()
        self.child = subprocess.Popen(
            ['mpv', '--no-config', '--vo=null', '--ao=null', '--ytdl=no', '--msg-level=all=warn,ao/null=no', '--demuxer-max-bytes=8MiB',
             '--hr-seek=yes', '--keep-open=yes', *options, f'--input-ipc-client=fd://{its.fileno()}', film],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            pass_fds=[its.fileno()])
        its.close()
        mine.settimeout(PATIENCE)
        self.socket, self.lines = mine, mine.makefile('r')

    def _ask(self, *words):
        self.socket.sendall(json.dumps({'command': words, 'request_id': 7}).encode() + b'\n')
        for line in self.lines:
            said = json.loads(line)
            if said.get('request_id') == 7:
                return said.get('data')
        raise Trouble('mpv ended')

    def _await(self, event):
        for line in self.lines:
            if json.loads(line).get('event') == event:
                return
        raise Trouble('mpv ended')

    def _end(self):
        self._ask('quit')
        out, _ = self.child.communicate(timeout=PATIENCE)
        shutil.rmtree(self.folder)
        # A busy machine comes late with sounds that it has.
        return '\n'.join(line for line in out.decode(errors='replace').strip().splitlines()
                         if 'Audio device underrun' not in line)

    def play(self, film):
        self._start(film, '--untimed')
        self._await('playback-restart')
        until(lambda: self._ask('get_property', 'eof-reached'), 'end', 200)
        pictures = round((self._ask('get_property', 'time-pos') or 0) * RATE) + 1
        return {'pictures': pictures, 'said': self._end()}

    def seek(self, film, places):
        self._start(film, '--pause')
        self._await('playback-restart')
        found, apart = [], 0
        picture = self.folder + '/picture.png'
        for place in places:
            self._ask('seek', place, 'absolute+exact')
            self._await('playback-restart')
            self._ask('screenshot-to-file', picture, 'video')
            found.append((number_in(picture), self._ask('get_property', 'time-pos')))
            # What is apart shows when it plays.
            self._ask('set_property', 'pause', False)
            until(lambda: self._ask('get_property', 'time-pos') > place + 0.5, 'playing')
            apart = max(apart, abs(self._ask('get_property', 'avsync') or 0))
            self._ask('set_property', 'pause', True)
        duration, tracks = self._ask('get_property', 'duration'), self._ask('get_property', 'track-list')
        return {'places': found, 'apart': apart, 'duration': duration,
                'tracks': len({track['type'] for track in tracks}), 'said': self._end()}


class VLC:
    """Told by its remote control. Where pictures are to be seen, it writes each one into a file."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o777)

    def _start(self, film, *options):
        # VLC refuses to run as root.
        user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
        self.child = subprocess.Popen(
            [*(user if os.getuid() == 0 else []), 'vlc', '-I', 'oldrc', '--rc-fake-tty',
             f'--rc-unix={self.folder}/socket', '--no-media-library', '--ignore-config', '--no-osd',
             '--aout=adummy', '--vout=vdummy', *options, film],
            env={**os.environ, 'HOME': self.folder}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        until(lambda: os.path.exists(self.folder + '/socket'), 'VLC')
        self.socket = socket.socket(socket.AF_UNIX)
        until(lambda: self.socket.connect_ex(self.folder + '/socket') == 0, 'VLC')

    def _start_with_pictures(self, film):
        # On a busy machine the first picture of a place is late, and would not be shown. How many threads decode
        # says which picture comes first.
        self._start(film, '--video-filter=scene', '--scene-format=png', '--scene-prefix=p',
                    f'--scene-path={self.folder}', '--scene-ratio=1', '--no-drop-late-frames', '--no-skip-frames',
                    '--no-avcodec-hurry-up', '--avcodec-threads=2')

    def _tell(self, words):
        self.socket.sendall(words.encode() + b'\n')

    def _hear(self, words):
        """All that it says within a moment."""
        self.socket.settimeout(0.3)
        self._tell(words)
        said = b''
        try:
            while piece := self.socket.recv(65536):
                said += piece
        except TimeoutError:
            pass
        return said.decode(errors='replace')

    def _ask(self, words):
        self.socket.settimeout(0.3)
        try:
            while self.socket.recv(65536):
                pass
        except TimeoutError:
            pass
        self._tell(words)
        said = b''
        try:
            while not re.search(rb'\d+\r?\n', said):
                said += self.socket.recv(65536)
        except TimeoutError:
            pass
        numbers = re.findall(rb'\d+', said)
        return int(numbers[-1]) if numbers else 0

    def _end(self):
        self.child.kill()
        self.child.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _pictures(self):
        return sorted(glob.glob(self.folder + '/p*.png'))

    def play(self, film):
        try:
            # A slow machine shows less than is decoded, so the decoder is asked, and kept from leaving out any.
            self._start(film, '--rate=8', '--play-and-pause', '--no-skip-frames', '--no-avcodec-hurry-up')
            until(lambda: 'to continue' in self._hear('status'), 'end', 200)
            counts = re.findall(r'video decoded *: *(\d+)', self._hear('stats'))
            # A picture is counted when it is decoded, and again when it is handed on.
            return {'pictures': int(counts[-1]) // 2 if counts else 0, 'said': ''}
        finally:
            self._end()

    def watch(self, film, places):
        try:
            self._start(film)
            told = until(lambda: (lambda at: at if at > places[0] else None)(self._ask('get_time')), 'playing')
            return {'places': [(None, told)], 'said': ''}
        finally:
            self._end()

    def seek(self, film, places):
        try:
            self._start_with_pictures(film)
            until(self._pictures, 'picture')
            duration = until(lambda: self._ask('get_length'), 'length')
            found = []
            for place in places:
                for picture in self._pictures():
                    os.remove(picture)
                self._tell(f'seek {place}')
                found.append((self._shown(place), until(lambda: self._ask('get_time'), 'time')))
            return {'duration': duration, 'places': found, 'said': ''}
        finally:
            self._end()

    def _shown(self, place):
        """The first picture near a place. Some from before the seek come first."""
        wanted, seen = int(place * RATE) % PERIOD, set()

        def near():
            # The last may be half written.
            for picture in self._pictures()[:-1]:
                if picture not in seen:
                    seen.add(picture)
                    shown = number_in(picture)
                    if (shown - wanted + 100) % PERIOD <= 200:
                        return (shown,)
        return until(near, f'picture at {place}')[0]


class GStreamer:
    def __init__(self):
        import gi
        gi.require_version('Gst', '1.0')
        from gi.repository import Gst
        Gst.init(None)
        self.gst = Gst

    def watch(self, film, places):
        self.pipeline = self.gst.ElementFactory.make('playbin')
        for name, value in (('uri', 'file://' + film), ('flags', 3)):
            self.pipeline.set_property(name, value)
        for name in ('video-sink', 'audio-sink'):
            sink = self.gst.ElementFactory.make('fakesink')
            sink.set_property('sync', True)
            self.pipeline.set_property(name, sink)
        self._state(self.gst.State.PLAYING)

        def place():
            return self.pipeline.query_position(self.gst.Format.TIME)[1] / self.gst.SECOND
        told = until(lambda: (lambda at: at if at > places[0] else None)(place()), 'playing')
        self.pipeline.set_state(self.gst.State.NULL)
        return {'places': [(None, told)], 'said': ''}

    def _pipeline(self, film):
        """What its players are built of, with sinks that show nobody anything."""
        def sink(kind):
            return self.gst.parse_bin_from_description(f'{kind} ! appsink name=sink sync=false max-buffers=4',
                                                       True)
        pictures, sounds = sink('videoconvert ! video/x-raw,format=GRAY8'), sink('audioconvert')
        self.pipeline = self.gst.ElementFactory.make('playbin')
        for name, value in (('video-sink', pictures), ('audio-sink', sounds), ('uri', 'file://' + film),
                            ('flags', 3)):
            self.pipeline.set_property(name, value)
        return pictures.get_by_name('sink'), sounds.get_by_name('sink')

    def _state(self, state):
        self.pipeline.set_state(state)
        if self.pipeline.get_state(PATIENCE * self.gst.SECOND)[0] != self.gst.StateChangeReturn.SUCCESS:
            message = self.pipeline.get_bus().pop_filtered(self.gst.MessageType.ERROR)
            raise Trouble(message.parse_error()[0].message if message else 'no state')

    def _shown(self, sample):
        data = sample.get_buffer().extract_dup(640 * 20, 640)
        return number([data[int((bar + 0.5) * 640 / 12)] for bar in range(12)])

    def _duration(self):
        return self.pipeline.query_duration(self.gst.Format.TIME)[1] / self.gst.SECOND

    def play(self, film):
        pictures, sounds = self._pipeline(film)
        sounds.set_property('drop', True)
        self._state(self.gst.State.PAUSED)
        duration = self._duration()
        self._state(self.gst.State.PLAYING)
        count = 0
        while pictures.emit('try-pull-sample', 20 * self.gst.SECOND):
            count += 1
        if not pictures.get_property('eos'):
            raise Trouble('it stands still')
        self.pipeline.set_state(self.gst.State.NULL)
        return {'pictures': count, 'duration': duration, 'said': ''}

    def seek(self, film, places):
        pictures, sounds = self._pipeline(film)
        self._state(self.gst.State.PAUSED)
        found, apart = [], 0
        for place in places:
            flags = self.gst.SeekFlags.FLUSH | self.gst.SeekFlags.ACCURATE
            self.pipeline.seek_simple(self.gst.Format.TIME, flags, int(place * self.gst.SECOND))
            self._state(self.gst.State.PAUSED)
            sample = pictures.emit('try-pull-preroll', PATIENCE * self.gst.SECOND)
            # The sound of a paused film may be a gap, until it plays.
            pictures.set_property('drop', True)
            self.pipeline.set_state(self.gst.State.PLAYING)
            sound = sounds.emit('try-pull-sample', PATIENCE * self.gst.SECOND)
            if not sample or not sound:
                raise Trouble(f'nothing at {place}')
            times = [one.get_buffer().pts / self.gst.SECOND for one in (sample, sound)]
            found.append((self._shown(sample), times[0]))
            apart = max(apart, abs(times[0] - times[1]))
            self._state(self.gst.State.PAUSED)
        duration = self._duration()
        self.pipeline.set_state(self.gst.State.NULL)
        return {'duration': duration, 'places': found, 'apart': apart, 'said': ''}


class MKVMerge:
    def look(self, film):
        out, _ = run('mkvmerge', '-J', film)
        told = json.loads(out)
        return {'duration': told['container']['properties'].get('duration', 0) / 1e9,
                'tracks': len({track['type'] for track in told['tracks']}),
                'said': ' '.join(told['warnings'] + told['errors'])}

    def play(self, film):
        with tempfile.TemporaryDirectory() as folder:
            out, _ = run('mkvmerge', '-q', '-o', folder + '/copy.mkv', film, timeout=200)
            return {**self.look(folder + '/copy.mkv'), 'said': out.decode().strip()}


class MediaInfo:
    def look(self, film):
        out, err = run('mediainfo', '--Output=JSON', film)
        tracks = json.loads(out)['media']['track']
        said = [f'{name}: {value}' for track in tracks for name, value in track.items()
                if name in ('IsTruncated', 'extra') and ('rror' in str(value) or name == 'IsTruncated')]
        return {'duration': float(tracks[0]['Duration']), 'said': ' '.join([*said, err]).strip(),
                'tracks': len({track['@type'] for track in tracks} & {'Video', 'Audio'})}


class Thumbnailer:
    """What file managers call."""

    def seek(self, film, places):
        found, duration = [], float(FFprobe().look(film)['duration'])
        with tempfile.TemporaryDirectory() as folder:
            for place in places:
                stamp = time.strftime('%H:%M:%S', time.gmtime(place))
                _, err = run('ffmpegthumbnailer', '-i', film, '-o', folder + '/p.png', '-s', '0', '-t', stamp)
                found.append((number_in(folder + '/p.png'), place))
        return {'places': found, 'said': '', 'duration': duration}


class Chromium:
    """Driven by WebDriver, https://www.w3.org/TR/webdriver2/."""

    PAGE = """<!DOCTYPE html><title>film</title><video muted src="%s"></video><canvas width=12 height=1></canvas>"""
    SHOWN = """
      const [place, done] = arguments, video = document.querySelector('video')
      const answer = () => {
        const pen = document.querySelector('canvas').getContext('2d', {willReadFrequently: true})
        let shown = 0
        for (let bar = 0; bar < 12; bar++) {
          pen.drawImage(video, (bar + 0.5) * 640 / 12 - 4, 16, 8, 8, bar, 0, 1, 1)
          if (pen.getImageData(bar, 0, 1, 1).data[1] > 125) shown += 1 << bar
        }
        done([shown, video.currentTime])
      }
      video.onseeked = () => video.requestVideoFrameCallback ? setTimeout(answer, 100) : answer()
      video.onerror = () => done([null, video.error.message])
      video.currentTime = place"""
    OPENED = """
      const done = arguments[0], video = document.querySelector('video')
      const answer = () => done([video.duration, video.videoWidth])
      video.onerror = () => done([0, video.error.message])
      if (video.error) done([0, video.error.message])
      else if (video.readyState > 1) answer(); else video.onloadeddata = answer"""
    PLAYED = """
      const done = arguments[0], video = document.querySelector('video')
      video.onended = () => done([video.getVideoPlaybackQuality().totalVideoFrames, video.currentTime])
      video.onerror = () => done([0, video.error.message])
      video.playbackRate = 4; video.play()"""

    def _call(self, method, path, body=None):
        request = urllib.request.Request(f'http://127.0.0.1:{self.port}{path}', method=method,
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=PATIENCE + 30) as answer:
            return json.load(answer)['value']

    def _script(self, text, *arguments):
        return self._call('POST', f'/session/{self.session}/execute/async',
                          {'script': text, 'args': list(arguments)})

    def __enter__(self):
        self.port = free_port()
        self.folder = tempfile.mkdtemp()
        self.child = subprocess.Popen(['chromedriver', f'--port={self.port}'], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, start_new_session=True,
                                      env={**os.environ, 'HOME': self.folder, 'TMPDIR': self.folder})

        def ready():
            try:
                return self._call('GET', '/status')['ready']
            except OSError:
                return False
        until(ready, 'chromedriver')
        options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--mute-audio',
                   '--allow-file-access-from-files', '--autoplay-policy=no-user-gesture-required',
                   f'--user-data-dir={self.folder}/profile', '--disable-dev-shm-usage']
        made = self._call('POST', '/session', {'capabilities': {'alwaysMatch': {
            'goog:chromeOptions': {'args': options}, 'timeouts': {'script': PATIENCE * 1000}}}})
        self.session = made['sessionId']
        return self

    def __exit__(self, *_):
        try:
            self._call('DELETE', f'/session/{self.session}')
        except (OSError, AttributeError):
            pass
        os.killpg(self.child.pid, 9)
        self.child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _open(self, film):
        page = self.folder + '/page.html'
        with open(page, 'w') as file:
            file.write(self.PAGE % ('file://' + film))
        self._call('POST', f'/session/{self.session}/url', {'url': 'file://' + page})
        duration, width = self._script(self.OPENED)
        if not duration:
            raise Trouble(f'Chromium: {width}')
        return duration

    def play(self, film):
        with self:
            self._open(film)
            pictures, place = self._script(self.PLAYED)
            return {'pictures': pictures, 'duration': place, 'said': ''}

    def seek(self, film, places):
        with self:
            duration = self._open(film)
            return {'duration': duration, 'places': [self._script(self.SHOWN, place) for place in places],
                    'said': ''}


class Kodi:
    """Under Xvfb, told by JSON-RPC. It shows no picture to anybody."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        settings = self.folder + '/.kodi/userdata'
        os.makedirs(settings)
        with open(settings + '/guisettings.xml', 'w') as file:
            file.write('<settings version="2"><setting id="services.esenabled">true</setting></settings>')
        read, write = os.pipe()
        self.screen = subprocess.Popen(
            ['Xvfb', '-displayfd', str(write), '-screen', '0', '640x360x24', '-nolisten', 'tcp'],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as file:
            display = file.readline().strip()
        self.child = subprocess.Popen(
            ['kodi', '--standalone', '--audio-backend=alsa'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, 'HOME': self.folder, 'DISPLAY': f':{display}',
                 'XDG_RUNTIME_DIR': self.folder, 'KODI_HOME': '/usr/share/kodi'})

        def there():
            try:
                self.socket = socket.create_connection(('127.0.0.1', 9090), timeout=PATIENCE)
                return True
            except OSError:
                return False
        until(there, 'Kodi')
        self.text = ''
        return self

    def __exit__(self, *_):
        os.killpg(self.child.pid, 9)
        self.child.wait()
        self.screen.kill()
        self.screen.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _ask(self, method, **arguments):
        self.socket.sendall(json.dumps(
            {'jsonrpc': '2.0', 'id': 7, 'method': method, 'params': arguments}).encode())
        while True:
            try:
                said, end = json.JSONDecoder().raw_decode(self.text)
                self.text = self.text[end:].lstrip()
            except ValueError:
                piece = self.socket.recv(65536)
                if not piece:
                    raise Trouble('Kodi ended')
                self.text += piece.decode()
                continue
            if said.get('id') == 7:
                if 'error' in said:
                    raise Trouble(f'{method}: {said["error"]}')
                return said['result']

    def _properties(self):
        return self._ask('Player.GetProperties', playerid=1, properties=[
            'time', 'totaltime', 'videostreams', 'audiostreams', 'speed'])

    def _time(self):
        return seconds(self._properties()['time'])

    def _near(self, place):
        told = self._time()
        return told if place - 1 <= told <= place + 15 else None

    def seek(self, film, places):
        with self:
            self._ask('Player.Open', item={'file': film})
            until(lambda: any(player['playerid'] == 1 for player in self._ask('Player.GetActivePlayers')),
                  'playing')
            told = until(lambda: (lambda p: p if seconds(p['totaltime']) else None)(self._properties()),
                         'duration')
            found = []
            for place in places:
                self._ask('Player.Seek', playerid=1, value={'time': {
                    'hours': int(place // 3600), 'minutes': int(place // 60 % 60),
                    'seconds': int(place % 60), 'milliseconds': 0}})
                found.append((None, until(lambda: self._near(place), f'playing at {place}')))
            # It plays on.
            last = self._time()
            until(lambda: self._time() > last + 0.5, 'going on')
            return {'duration': seconds(told['totaltime']), 'places': found, 'said': '',
                    'tracks': len(told['videostreams']) + len(told['audiostreams'])}


def seconds(told):
    return told['hours'] * 3600 + told['minutes'] * 60 + told['seconds'] + told['milliseconds'] / 1000


class MiniDLNA:
    """A media server that reads films by libavformat."""

    def look(self, film):
        with self.serving(os.path.dirname(film)) as (base, _):
            duration, size, rate = until(
                lambda: (base('select duration, resolution, samplerate from details where path = ?', film)
                         or [None])[0], 'film')
        hours, minutes, rest = duration.split(':')
        return {'duration': int(hours) * 3600 + int(minutes) * 60 + float(rest),
                'tracks': bool(size) + bool(rate), 'said': ''}

    def scan(self, folder):
        """Tells name, title and size of each film that it finds."""
        with self.serving(folder) as (base, log):
            until(lambda: 'file scan completed' in log(), 'end of the scan')
            return [{'name': os.path.relpath(path, folder), 'title': title, 'size': size} for path, title, size
                    in base('select path, title, size from details where mime is not null')]

    @contextlib.contextmanager
    def serving(self, films):
        """Gives a function that asks its base, and one that reads its log."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(folder + '/db')
            with open(folder + '/conf', 'w') as file:
                file.write(f'media_dir=V,{films}\ndb_dir={folder}/db\nlog_dir={folder}\n'
                           f'network_interface=lo\nport={free_port()}\ninotify=no\nfriendly_name=films\n')

            def base(question, *values):
                try:
                    with sqlite3.connect(f'file:{folder}/db/files.db?mode=ro', uri=True) as files:
                        return files.execute(question, values).fetchall()
                except sqlite3.Error:
                    return []

            def log():
                with open(folder + '/said') as file:
                    return file.read()
            with open(folder + '/said', 'w') as said:
                child = subprocess.Popen(['minidlnad', '-f', folder + '/conf', '-d', '-P', folder + '/pid'],
                                         stdout=said, stderr=said)
            try:
                yield base, log
            finally:
                child.kill()
                child.wait()


def make_network():
    """Gerbera serves no network that has only this machine."""
    addresses, _ = run('ip', '-o', '-4', 'address')
    if len(addresses.splitlines()) == 1:
        for words in ('tuntap add films mode tap', 'address add 192.0.2.9/24 dev films',
                      'link set films up multicast on', 'route add default dev films'):
            run('ip', *words.split())


class Gerbera:
    """Another one. Its container names what it found of each film."""

    def look(self, film):
        with tempfile.TemporaryDirectory() as folder:
            with open('/etc/gerbera/config.xml') as file:
                text = file.read()
            text = re.sub('<home>.*?</home>', f'<home>{folder}</home>', text)
            text = re.sub('<database-file>.*?</database-file>',
                          f'<database-file>{folder}/base.db</database-file>', text)
            with open(folder + '/config.xml', 'w') as file:
                file.write(text)
            make_network()
            child = subprocess.Popen(
                ['gerbera', '-c', folder + '/config.xml', '-a', film, '-l', folder + '/log'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env={**os.environ, 'HOME': folder})

            def added():
                with open(folder + '/log') as file:
                    return 'Adding ' + film in file.read()
            try:
                until(lambda: os.path.exists(folder + '/log') and added(), 'Gerbera', 20)
                # It writes the base of its films when it ends.
                time.sleep(3)
                child.terminate()
                child.wait(PATIENCE)
            finally:
                child.kill()
                child.wait()
            with sqlite3.connect(folder + '/base.db') as base:
                found = base.execute('select resources from mt_cds_object where location like ?',
                                     ['%' + film]).fetchone()
            if not found or not found[0]:
                raise Trouble('Gerbera found nothing')
            told = found[0]
            told = urllib.parse.unquote(told)
            hours, minutes, rest = re.search(r'duration=([\d:.]+)', told)[1].split(':')
            return {'duration': int(hours) * 3600 + int(minutes) * 60 + float(rest), 'said': '',
                    'tracks': ('resolution=' in told) + ('nrAudioChannels=' in told)}


PROGRAMS = {'ffprobe': FFprobe, 'ffmpeg': FFmpeg, 'mpv': MPV, 'vlc': VLC, 'gstreamer': GStreamer,
            'mkvmerge': MKVMerge, 'mediainfo': MediaInfo, 'ffmpegthumbnailer': Thumbnailer,
            'chromium': Chromium, 'kodi': Kodi, 'minidlna': MiniDLNA, 'gerbera': Gerbera}


def main():
    program, action, film, *places = sys.argv[1:]
    try:
        driver = PROGRAMS[program]()
        action = getattr(driver, action)
        print(json.dumps(action(film, [float(place) for place in places]) if places else action(film)))
    except Trouble as trouble:
        sys.exit(f'{program}: {trouble}')


if __name__ == '__main__':
    main()
