#!/usr/bin/python3
"""TLS in front of the test origin, with HTTP/1.1 or HTTP/2, and with faults on demand.

    gate.py UPSTREAM_PORT CERTIFICATE

listens on 127.0.0.1, says "READY PORT", and ends with its standard input. Each line there is an
order in JSON, and answered with a line: the number of the order, and JSON:

    {"serve": FILE, "tls": "1.1", "protocols": ["http/1.1"]}   for new connections; all others end
    {"fault": KIND, "path": PREFIX, "phase": PHASE, "times": N}         times -1: until it is cleared
    {"clear": true}                          forgets the faults; streams that are held up go on
    {"log": true}                            what was asked, and over what connections

A phase is "head" (before it), "middle" (of the body) or "end" (behind the body, before the end of
the stream). Kinds, where X stands for HTTP/2 alone: alert (fatal), close (close_notify), garbage
(no record of TLS), cut (the connection without a word), stall, short (an orderly end too early),
more and less (a wrong content-length), reset X (RST_STREAM), refused X (RST_STREAM, REFUSED_STREAM),
goaway X (this stream is the first that is not served), leaving X (this stream is the last one).

CERTIFICATE has the key and the certificate in PEM.
"""
import http.client
import json
import os
import socket
import ssl
import sys
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import hyperframe.frame

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "upgrade", "proxy-connection"}


class Gone(Exception):
    """The connection is of no more use."""


class Channel:
    """TLS over a socket; the lock is that of everything that is done with the connection."""

    def __init__(self, sock, context):
        self.sock = sock
        self.lock = threading.RLock()
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)
        self.patiently(self.tls.do_handshake)

    def patiently(self, call):
        while True:
            try:
                with self.lock:
                    try:
                        return call()
                    finally:
                        self.flush()
            except ssl.SSLWantReadError:
                try:
                    data = self.sock.recv(1 << 16)
                except OSError as error:
                    raise Gone(str(error)) from None
                if not data:
                    raise Gone from None
                with self.lock:
                    self.incoming.write(data)
            except (ssl.SSLError, OSError) as error:
                raise Gone(str(error)) from None

    def flush(self):
        data = self.outgoing.read()
        if data:
            self.sock.sendall(data)

    def receive(self):
        return self.patiently(lambda: self.tls.read(1 << 16))

    def send(self, data):
        with self.lock:
            try:
                self.tls.write(data)
                self.flush()
            except (ssl.SSLError, OSError) as error:
                raise Gone(str(error)) from None

    def end(self, kind):
        """Ends the connection in one of the bad manners, or just so."""
        with self.lock:
            try:
                if kind == "alert":
                    # What cannot be decrypted is answered with a fatal alert by TLS itself.
                    self.incoming.write(b"\x17\x03\x03\x00\x40" + bytes(0x40))
                    try:
                        self.tls.read(1)
                    except ssl.SSLError:
                        pass
                    self.flush()
                elif kind == "close":
                    try:
                        self.tls.unwrap()
                    except ssl.SSLError:
                        pass
                    self.flush()
                elif kind == "garbage":
                    self.sock.sendall(b"\x17\x03\x03\x10\x00" + os.urandom(0x1000))
                self.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Gate:
    def __init__(self, upstream, certificate):
        self.upstream = upstream
        self.lock = threading.Condition()
        self.faults, self.requests, self.met = [], [], []
        self.protocols, self.most_streams, self.failed = [], 0, 0
        self.released = 0
        self.channels = set()
        self.serve(certificate)

    def serve(self, certificate, tls=None, protocols=("h2", "http/1.1")):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if tls in ("1.0", "1.1"):
            # OpenSSL speaks what is old only at its lowest level of security.
            context.set_ciphers("DEFAULT@SECLEVEL=0")
            context.minimum_version = ssl.TLSVersion.TLSv1
            versions = {"1.0": ssl.TLSVersion.TLSv1, "1.1": ssl.TLSVersion.TLSv1_1}
            context.maximum_version = versions[tls]
        elif tls == "1.2":
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(certificate)
        context.set_alpn_protocols(list(protocols))
        with self.lock:
            self.context = context
            channels = list(self.channels)
        for channel in channels:
            channel.end("cut")

    def fault(self, target):
        with self.lock:
            for fault in self.faults:
                if target.startswith(fault["path"]) and fault["times"] != 0:
                    fault["times"] -= 1
                    self.met.append(f"{fault['fault']} {fault['phase']}")
                    return fault
        return None

    def stall(self):
        with self.lock:
            before = self.released
            self.lock.wait_for(lambda: self.released != before, 120)

    def obey(self, order):
        with self.lock:
            if "fault" in order:
                self.faults.append(dict(order))
            elif "clear" in order:
                self.faults.clear()
                self.released += 1
                self.lock.notify_all()
            elif "log" in order:
                return {
                    "requests": self.requests,
                    "met": self.met,
                    "protocols": self.protocols,
                    "failed": self.failed,
                    "peakStreams": self.most_streams,
                }
        if "serve" in order:
            self.serve(order["serve"], order.get("tls"), order.get("protocols", ["h2", "http/1.1"]))
        return {}

    def accept(self, sock):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.lock:
            context = self.context
        try:
            sock.settimeout(60)
            channel = Channel(sock, context)
        except Gone:
            with self.lock:
                self.failed += 1
            sock.close()
            return
        protocol = channel.tls.selected_alpn_protocol() or "http/1.1"
        with self.lock:
            self.channels.add(channel)
            self.protocols.append(f"{channel.tls.version()} {protocol}")
        try:
            (HTTP2 if protocol == "h2" else HTTP1)(self, channel).run()
        except (Gone, h2.exceptions.ProtocolError):
            pass
        finally:
            with self.lock:
                self.channels.discard(channel)
            channel.end("cut")
            sock.close()

    def answer(self, out, method, target, fields):
        """Fetches the answer and writes it to `out`, with the fault that this request meets."""
        with self.lock:
            self.requests.append(target)
        upstream = http.client.HTTPConnection("127.0.0.1", self.upstream, timeout=60)
        try:
            upstream.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in fields:
                if name not in HOP_BY_HOP:
                    upstream.putheader(name, value)
            upstream.endheaders()
            response = upstream.getresponse()
            body = response.read()
            head = [
                (name.lower(), value)
                for name, value in response.getheaders()
                if name.lower() not in HOP_BY_HOP
            ]
        finally:
            upstream.close()
        fault = self.fault(target)
        kind, phase = (fault["fault"], fault["phase"]) if fault else (None, None)
        if kind in ("more", "less"):
            length = len(body) + (1 if kind == "more" else -1)
            head = [(n, str(length) if n == "content-length" else v) for n, v in head]
            kind = None
        if kind and phase == "head":
            if not out.misbehave(kind):
                return
            kind = None
        out.head(response.status, head)
        half = len(body) // 2 if kind and phase == "middle" else len(body)
        out.body(body[:half])
        if kind and not out.misbehave(kind):
            return
        out.body(body[half:])
        out.end()


class HTTP1:
    def __init__(self, gate, channel):
        self.gate, self.channel = gate, channel

    def run(self):
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                more = self.channel.receive()
                if not more:
                    return
                data += more
            head, data = data.split(b"\r\n\r\n", 1)
            lines = head.decode("latin-1").split("\r\n")
            method, target, _ = lines[0].split(" ", 2)
            fields = [tuple(part.strip() for part in line.split(":", 1)) for line in lines[1:]]
            self.gate.answer(self, method, target, [(n.lower(), v) for n, v in fields])

    def head(self, status, fields):
        lines = [f"HTTP/1.1 {status} X"] + [f"{name}: {value}" for name, value in fields]
        self.channel.send("\r\n".join(lines + ["", ""]).encode("latin-1"))

    def body(self, data):
        for start in range(0, len(data), 1 << 14):
            self.channel.send(data[start : start + (1 << 14)])

    def end(self):
        pass

    def misbehave(self, kind):
        """Whether the answer goes on afterwards."""
        if kind == "stall":
            self.gate.stall()
            return True
        self.channel.end(kind)
        raise Gone


class HTTP2:
    def __init__(self, gate, channel):
        self.gate, self.channel = gate, channel
        self.state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        # Streams wait here for room in their windows; the lock is the channel's.
        self.room = threading.Condition(channel.lock)
        self.open, self.is_gone = set(), False

    def run(self):
        try:
            with self.channel.lock:
                self.state.initiate_connection()
                self.flush()
            while True:
                data = self.channel.receive()
                if not data:
                    return
                with self.channel.lock:
                    for event in self.state.receive_data(data):
                        self.take(event)
                    self.flush()
        finally:
            with self.channel.lock:
                self.is_gone = True
                self.room.notify_all()

    def take(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.open.add(event.stream_id)
            with self.gate.lock:
                self.gate.most_streams = max(self.gate.most_streams, len(self.open))
            fields = [(text(name), text(value)) for name, value in event.headers]
            stream = Stream(self, event.stream_id)
            threading.Thread(target=stream.run, args=[fields], daemon=True).start()
        elif isinstance(event, (h2.events.StreamReset, h2.events.WindowUpdated)):
            if isinstance(event, h2.events.StreamReset):
                self.open.discard(event.stream_id)
            self.room.notify_all()
        elif isinstance(event, h2.events.RemoteSettingsChanged):
            self.room.notify_all()
        elif isinstance(event, h2.events.ConnectionTerminated):
            raise Gone

    def flush(self):
        data = self.state.data_to_send()
        if data:
            self.channel.send(data)


class Stream:
    def __init__(self, connection, number):
        self.connection, self.number = connection, number
        self.lock = connection.channel.lock

    def run(self, fields):
        values = dict(fields)
        own = [("host", values[":authority"])]
        own += [field for field in fields if not field[0].startswith(":")]
        try:
            self.connection.gate.answer(self, values[":method"], values[":path"], own)
        except (Gone, h2.exceptions.ProtocolError, OSError):
            pass
        finally:
            with self.lock:
                self.connection.open.discard(self.number)

    def act(self, action):
        with self.lock:
            if self.connection.is_gone or self.number not in self.connection.open:
                raise Gone
            action(self.connection.state)
            self.connection.flush()

    def head(self, status, fields):
        self.act(lambda state: state.send_headers(self.number, [(":status", str(status))] + fields))

    def body(self, data):
        while data:
            with self.connection.room:
                self.connection.room.wait_for(self.has_room, 120)
                size = 0
                if not self.is_over():
                    size = min(self.window(), self.connection.state.max_outbound_frame_size)
                piece, data = data[:size], data[size:]
                self.act(lambda state: state.send_data(self.number, piece))

    def end(self):
        self.act(lambda state: state.end_stream(self.number))

    def is_over(self):
        return self.connection.is_gone or self.number not in self.connection.open

    def window(self):
        return self.connection.state.local_flow_control_window(self.number)

    def has_room(self):
        return self.is_over() or self.window() > 0

    def misbehave(self, kind):
        """Whether the answer goes on afterwards."""
        codes = h2.errors.ErrorCodes
        if kind == "stall":
            self.connection.gate.stall()
            return True
        if kind in ("reset", "refused"):
            code = codes.INTERNAL_ERROR if kind == "reset" else codes.REFUSED_STREAM
            self.act(lambda state: state.reset_stream(self.number, code))
        elif kind == "short":
            self.end()
        elif kind in ("goaway", "leaving"):
            last = self.number - 2 if kind == "goaway" else self.number
            frame = hyperframe.frame.GoAwayFrame(last_stream_id=max(last, 0))
            self.act(lambda _: self.connection.channel.send(frame.serialize()))
            if kind == "leaving":
                return True
            self.connection.channel.end("cut")
        else:
            self.connection.channel.end(kind)
        return False


def text(field):
    return field.decode("latin-1") if isinstance(field, bytes) else field


def main():
    gate = Gate(int(sys.argv[1]), sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print("READY", listener.getsockname()[1], flush=True)

    def listen():
        while True:
            sock, _ = listener.accept()
            threading.Thread(target=gate.accept, args=[sock], daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    for number, line in enumerate(sys.stdin, 1):
        print(number, json.dumps(gate.obey(json.loads(line))), flush=True)
    # Threads that wait for clients are nobody's concern.
    os._exit(0)


main()
