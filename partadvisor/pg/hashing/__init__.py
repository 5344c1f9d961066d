"""Hash partition routing, bit for bit as the server does it, without a server.

``types`` says which types can be routed and needs nothing else; ``routing`` is the way in for values and loads
numpy, so import it only where values are at hand.

The result holds for little-endian servers on which C's ``char`` is signed (x86): the server's own hash depends on the
byte order, and that of the ``"char"`` type on the sign of bytes above 127. No other type depends on the latter.
"""
